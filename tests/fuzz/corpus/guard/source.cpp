4R"x(a)x" "A_B" /* "A_C" */ '"' env.A_D

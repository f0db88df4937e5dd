7echo "${A_B:-$A_C}" $A_D #$A_E

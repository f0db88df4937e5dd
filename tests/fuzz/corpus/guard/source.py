6"""A_B"""
x = 'A_C' # A_D

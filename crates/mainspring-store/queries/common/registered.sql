SELECT incarnation FROM registration WHERE one = 1

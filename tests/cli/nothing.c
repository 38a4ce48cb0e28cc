const int nothing = 0;

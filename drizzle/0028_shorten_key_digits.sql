UPDATE OR IGNORE `adoptions` SET `key_digits` = substr(`key_digits`, -12) WHERE length(`key_digits`) > 12;

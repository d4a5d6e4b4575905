/** How tightly operators bind (language.md 2.2): what the parser groups by and the formatter puts parentheses by. */

/** Per `BinaryOperator`. All are left-associative. */
export const PRECEDENCE: readonly number[] = [1, 2, 3, 3, 4, 4, 4, 4, 5, 5, 6, 6, 6];

/** Of the operand of a unary operator. */
export const UNARY_PRECEDENCE = 7;

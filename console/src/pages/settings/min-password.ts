/** A copy of the contract's `MIN_PASSWORD_LENGTH`: importing it would load the schema library. */
export const MIN_PASSWORD = 10;

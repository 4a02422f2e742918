/** As the contract has it (`MIN_PASSWORD_LENGTH`), whose constants would bring the schema library along. */
export const MIN_PASSWORD = 10;

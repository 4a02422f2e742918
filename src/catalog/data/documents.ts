/** The documents of the bundled catalogue, by vendor id. */
export const BUNDLED_DOCUMENTS: Readonly<Record<string, string>> = {};

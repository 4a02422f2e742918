const VENDOR_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const MODEL_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\/[A-Za-z0-9._:/@+~-]{1,136}$/;

export const VENDOR_ID_RULE = "an id of letters, digits, dots, hyphens and underscores";
export const MODEL_ID_RULE = "an id <vendor>/<short name> of letters, digits and . _ - : / @ + ~";

export function isVendorId(text: string): boolean {
  return VENDOR_ID.test(text);
}

/** Whether a text is `<vendor>/<short name>`. */
export function isModelId(text: string): boolean {
  return MODEL_ID.test(text);
}

/** The part of a model's id before the slash. */
export function vendorOf(model_id: string): string {
  return model_id.slice(0, model_id.indexOf("/"));
}

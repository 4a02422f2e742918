import { isObject } from "../../core/json.ts";

/**
 * The value that a local reference of a JSON schema names (`#`, `#/$defs/a`, `#/properties/a~1b`, `#/items/%24x`), or
 * undefined: for what is not there, for anchors and for other documents.
 */
export function localTarget(root: unknown, reference: string): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let target = root;
  for (const step of reference.slice(2).split("/")) {
    const name = unescaped(step);
    if (Array.isArray(target)) target = target[/^\d+$/.test(name) ? Number(name) : -1];
    else if (isObject(target) && Object.hasOwn(target, name)) target = target[name];
    else return undefined;
  }
  return target;
}

function unescaped(step: string): string {
  const plain = step.replaceAll("~1", "/").replaceAll("~0", "~");
  if (!plain.includes("%")) return plain;
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";

/** Reads parts of a JSON document whose shape is known: a missing part is empty. */

export function textOf(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  return typeof value === "number" ? JSON.stringify(value) : "";
}

export function objectOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export function objectsOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((item) => isObject(item)) : [];
}

export function memberObjects(value: JsonValue | undefined): [string, JsonObject][] {
  return Object.entries(objectOf(value)).flatMap(([name, member]) =>
    isObject(member) ? [[name, member] as [string, JsonObject]] : [],
  );
}

import type { ESTree } from "vite";
import { type Found, findDeclaration, type Scope } from "./declarations.ts";

/** What a declared type says of JSON. */
export type Shape =
  | { readonly kind: "string" | "number" | "boolean" | "null" | "unknown" }
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  | { readonly kind: "array"; readonly of: Shape }
  | { readonly kind: "union"; readonly of: readonly Shape[] }
  | ObjectShape;

export interface ObjectShape {
  readonly kind: "object";
  /** The type's name, or the place of a type without one. */
  readonly name: string;
  /** Read on demand: types refer to each other in circles. */
  members(): readonly Member[];
}

export interface Member {
  readonly name: string;
  readonly is_optional: boolean;
  readonly shape: Shape;
}

const UNKNOWN: Shape = { kind: "unknown" };

const KEYWORDS: Readonly<Record<string, Shape>> = {
  TSStringKeyword: { kind: "string" },
  TSTemplateLiteralType: { kind: "string" },
  TSNumberKeyword: { kind: "number" },
  TSBooleanKeyword: { kind: "boolean" },
  TSNullKeyword: { kind: "null" },
  TSUndefinedKeyword: { kind: "null" },
};

/** The shape of a type that a file declares or passes on. */
export function shapeOf(name: string, file: string): Shape {
  const found = findDeclaration(name, { file, namespaces: [] });
  if (found === null) throw new Error(`${file} declares no ${name}`);
  return shapeOfFound(found);
}

/** Alternatives of a shape, with no unions among them and without null. */
export function alternatives(shape: Shape): readonly Exclude<Shape, { kind: "union" }>[] {
  if (shape.kind === "union") return shape.of.flatMap(alternatives);
  return shape.kind === "null" ? [] : [shape];
}

const being_read = new Set<ESTree.Node>();

function shapeOfFound({ declaration, scope, name }: Found): Shape {
  if (declaration.type === "TSInterfaceDeclaration")
    return { kind: "object", name, members: () => interfaceMembers(declaration, scope, name) };
  // An alias that refers to itself is a JSON value of any kind.
  if (being_read.has(declaration)) return UNKNOWN;
  being_read.add(declaration);
  try {
    return read(declaration.typeAnnotation, scope, name);
  } finally {
    being_read.delete(declaration);
  }
}

function read(type: ESTree.TSType, scope: Scope, place: string): Shape {
  switch (type.type) {
    case "TSLiteralType":
      return literalOf(type);
    case "TSArrayType":
      return { kind: "array", of: read(type.elementType, scope, place) };
    case "TSTypeOperator":
    case "TSParenthesizedType":
      return read(type.typeAnnotation, scope, place);
    case "TSUnionType":
      return { kind: "union", of: type.types.map((one) => read(one, scope, place)) };
    case "TSIntersectionType":
      return intersection(type.types.map((one) => read(one, scope, place)));
    case "TSTypeLiteral":
      return { kind: "object", name: place, members: () => membersOf(type.members, scope, place) };
    case "TSTypeReference":
      return referred(type, scope, place);
    default:
      return KEYWORDS[type.type] ?? UNKNOWN;
  }
}

function literalOf({ literal }: ESTree.TSLiteralType): Shape {
  const value = literal.type === "Literal" ? literal.value : null;
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? { kind: "literal", value }
    : UNKNOWN;
}

/** `string & {}` is a string; of several objects, one has the members of all. */
function intersection(shapes: readonly Shape[]): Shape {
  const [first] = shapes;
  const objects = shapes.filter((shape) => shape.kind === "object");
  if (first === undefined || objects.length < shapes.length || objects[0] === undefined) return first ?? UNKNOWN;
  return { ...objects[0], members: () => objects.flatMap((object) => object.members()) };
}

function referred(type: ESTree.TSTypeReference, scope: Scope, place: string): Shape {
  const name = dotted(type.typeName);
  const [argument, further] = type.typeArguments?.params ?? [];
  const found = findDeclaration(name, scope);
  if (found !== null) return shapeOfFound(found);
  if ((name === "Array" || name === "ReadonlyArray") && argument !== undefined)
    return { kind: "array", of: read(argument, scope, place) };
  if (name === "Omit" && argument !== undefined && further !== undefined)
    return without(read(argument, scope, place), read(further, scope, place));
  return UNKNOWN;
}

function without(shape: Shape, names: Shape): Shape {
  if (shape.kind !== "object") return shape;
  const left_out = new Set(alternatives(names).map((name) => (name.kind === "literal" ? name.value : null)));
  return { ...shape, members: () => shape.members().filter(({ name }) => !left_out.has(name)) };
}

function dotted(name: ESTree.TSTypeName): string {
  if (name.type === "TSQualifiedName") return `${dotted(name.left)}.${name.right.name}`;
  return name.type === "Identifier" ? name.name : "this";
}

function interfaceMembers(declaration: ESTree.TSInterfaceDeclaration, scope: Scope, name: string): readonly Member[] {
  const own = membersOf(declaration.body.body, scope, name);
  const overridden = new Set(own.map((member) => member.name));
  const inherited = declaration.extends.flatMap(({ expression }) => {
    const found = findDeclaration(expressionName(expression), scope);
    const base = found === null ? UNKNOWN : shapeOfFound(found);
    return base.kind === "object" ? base.members() : [];
  });
  return [...inherited.filter((member) => !overridden.has(member.name)), ...own];
}

function expressionName(expression: ESTree.Expression): string {
  if (expression.type === "Identifier") return expression.name;
  if (expression.type !== "MemberExpression" || expression.property.type !== "Identifier") return "";
  return `${expressionName(expression.object)}.${expression.property.name}`;
}

function membersOf(signatures: readonly ESTree.TSSignature[], scope: Scope, place: string): readonly Member[] {
  return signatures.flatMap((signature): Member[] => {
    if (signature.type !== "TSPropertySignature") return [];
    const { key, optional: is_optional, typeAnnotation: annotation } = signature;
    const name = key.type === "Identifier" ? key.name : key.type === "Literal" ? String(key.value) : "";
    const type = annotation?.typeAnnotation;
    return [{ name, is_optional, shape: type === undefined ? UNKNOWN : read(type, scope, `${place}.${name}`) }];
  });
}

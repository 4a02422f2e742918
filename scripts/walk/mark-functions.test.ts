import { expect, test } from "bun:test";
import { markFunctions } from "./mark-functions.ts";

const SHAPES: readonly (readonly [what: string, text: string, marked: string])[] = [
  ["a function", "function a() { return 1; }", "function a() { M; return 1; }"],
  ["an arrow with a block", "const a = () => { b(); };", "const a = () => { M; b(); };"],
  ["an arrow with an expression", "const a = () => b;", "const a = () => (M,b);"],
  ["an arrow that makes an object", "const a = () => ({ b });", "const a = () => (M,({ b }));"],
  ["an arrow in an arrow", "const a = () => () => b;", "const a = () => (M,() => (M,b));"],
  ["an arrow as an argument of an arrow's call", "const a = () => b(() => c);", "const a = () => (M,b(() => (M,c)));"],
  [
    "a method, a getter and a constructor",
    "class A { a() {} get b() {} constructor() {} }",
    "class A { a() { M;} get b() { M;} constructor() { M;} }",
  ],
  ["a generator", "function* a() { yield 1; }", "function* a() { M; yield 1; }"],
  ["a function in the default of a parameter", "function a(b = () => 1) {}", "function a(b = () => (M,1)) { M;}"],
];

test.each(SHAPES)("%s is marked at its beginning", (_, text, marked) => {
  expect(markFunctions(text, "a.ts", "M")).toBe(marked);
});

test.each([
  ["declarations without a body", "declare function a(): void; abstract class A { abstract b(): void; }"],
  ["types", "type A = () => void; interface B { c(): void }"],
  ["statements outside functions", "const a = 1; if (a) b();"],
])("%s stay as they are", (_, text) => {
  expect(markFunctions(text, "a.ts", "M")).toBe(text);
});

test("lines keep their numbers", () => {
  const text = "function a() {\n  return () =>\n    b;\n}\n";
  expect(markFunctions(text, "a.ts", "M").split("\n")).toHaveLength(text.split("\n").length);
});

test("text that is no TypeScript is an error that names the file", () => {
  expect(() => markFunctions("function (", "some/file.ts", "M")).toThrow("some/file.ts cannot be parsed");
});

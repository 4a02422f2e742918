import { expect, test } from "bun:test";
import fc from "fast-check";
import { dataUrl, sourceOfUrl } from "./data-url.ts";

test("bytes in a URL are read back unchanged", () => {
  const media_type = fc.constantFrom("image/png", "application/pdf", "");
  fc.assert(
    fc.property(media_type, fc.base64String(), (type, data) => {
      expect(sourceOfUrl(dataUrl({ media_type: type, data }))).toEqual({ kind: "base64", media_type: type, data });
    }),
  );
});

test("parameters are left out", () => {
  const source = { kind: "base64", media_type: "image/svg+xml", data: "AA==" } as const;
  expect(sourceOfUrl("data:image/svg+xml;charset=utf-8;base64,AA==")).toEqual(source);
});

test("a URL without base64 stays a URL", () => {
  for (const url of ["https://a.example/b.png", "data:text/plain,hello", "data:", "", "gs://bucket/x"])
    expect(sourceOfUrl(url)).toEqual({ kind: "url", url });
});

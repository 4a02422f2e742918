import { expect, test } from "bun:test";
import { clientAddress } from "./client-address.ts";

const PEER = "10.0.0.2";
const FORWARDED: [header: string, address: string][] = [
  ["203.0.113.7", "203.0.113.7"],
  ["198.51.100.1, 203.0.113.7", "203.0.113.7"],
  ["203.0.113.7:54321", "203.0.113.7"],
  ["2001:db8::1", "2001:db8::1"],
  ["[2001:db8::1]", "2001:db8::1"],
  ["[2001:db8::1]:4711", "2001:db8::1"],
  ["unknown", PEER],
  ["999.1.1.1", PEER],
  ["<script>", PEER],
  ["", PEER],
];
test.each(FORWARDED)("behind a proxy that writes '%s', the client is at %s", (header, address) => {
  expect(clientAddress(new Headers({ "x-forwarded-for": header }), PEER, true)).toBe(address);
});

test("without a proxy in front, the header counts for nothing", () => {
  expect(clientAddress(new Headers({ "x-forwarded-for": "203.0.113.7" }), PEER, false)).toBe(PEER);
});

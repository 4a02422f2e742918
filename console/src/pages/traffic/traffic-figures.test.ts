import { expect, test } from "bun:test";
import { groupName } from "./traffic-figures.ts";

test("groups have names for people, refusals too", () => {
  const name = null;
  const others = false;
  expect(groupName({ id: "!model_not_found", name, others })).toBe("model_not_found, refused");
  expect(groupName({ id: "model_not_found", name, others })).toBe("model_not_found");
  expect(groupName({ id: "acct_1", name: "!loud@example.com", others })).toBe("!loud@example.com");
  expect(groupName({ id: "", name, others })).toBe("none");
  expect(groupName({ id: null, name, others: true })).toBe("others");
});

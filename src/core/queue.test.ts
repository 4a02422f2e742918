import { expect, test } from "bun:test";
import fc from "fast-check";
import { Queue } from "./queue.ts";

test("items leave a queue in the order in which they came, whatever is pushed and taken", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat({ max: 80 }), fc.integer({ min: -80, max: -1 }))), (steps) => {
      const queue = new Queue<number>();
      const expected: number[] = [];
      let next = 0;
      for (const step of steps) {
        for (let count = 0; count < step; count += 1) {
          queue.push(next);
          expected.push(next);
          next += 1;
        }
        for (let count = 0; count > step; count -= 1) expect(queue.take()).toBe(expected.shift());
        expect(queue.size).toBe(expected.length);
      }
    }),
  );
});

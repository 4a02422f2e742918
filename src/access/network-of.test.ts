import { expect, test } from "bun:test";
import { networkOf } from "./network-of.ts";

const NETWORKS: [address: string | null, network: string][] = [
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:DB8:1:2::9", "2001:db8:1:2"],
  ["2001:db8::1", "2001:db8:0:0"],
  ["::1", "0:0:0:0"],
  ["fe80::", "fe80:0:0:0"],
  ["unknown", "unknown"],
  [null, "unknown"],
];

for (const [address, network] of NETWORKS) {
  test(`tries from ${address} count for ${network}`, () => {
    expect(networkOf(address)).toBe(network);
  });
}

import { BlockList, isIP } from "node:net";

/**
 * Networks that are not the public internet, by IANA's registries of special-purpose addresses (RFC 6890 and what came later): private, shared,
 * loopback, link-local, documentation, benchmarks, multicast and reserved ones.
 */
const NOT_PUBLIC_V4 = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"],
  ...["192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
  ...["224.0.0.0/4", "240.0.0.0/4"],
];
/** The IPv6 addresses that are given out. Those with an IPv4 address in them lie outside (mapped, NAT64), or are taken out below (6to4, Teredo). */
const PUBLIC_V6 = ["2000::/3"];
const NOT_PUBLIC_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

const not_public_v4 = listOf(NOT_PUBLIC_V4, "ipv4");
const public_v6 = listOf(PUBLIC_V6, "ipv6");
const not_public_v6 = listOf(NOT_PUBLIC_V6, "ipv6");

function listOf(networks: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** Whether an IP address is one of the public internet. False for what is no address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !not_public_v4.check(address, "ipv4");
  // A zone names a link, and a link is not the internet.
  if (family !== 6 || address.includes("%")) return false;
  return public_v6.check(address, "ipv6") && !not_public_v6.check(address, "ipv6");
}

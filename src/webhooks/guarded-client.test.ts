import { afterEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { addressProblem, GuardedClient, type LookUp, PostError } from "./guarded-client.ts";
import { isPublicAddress } from "./public-address.ts";

/** Requests to addresses that people type in, over real sockets: none reaches an inner network. */

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/** A receiver on this machine, which says `answer` to each request; "" closes at once. */
async function receiver(answer: string): Promise<{ port: number; heads: string[] }> {
  const heads: string[] = [];
  const talk = (socket: Socket): void => {
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      heads.push(bytes.toString("latin1"));
      if (answer === "") socket.destroy();
      else socket.write(answer);
    });
  };
  const server = createServer(talk);
  return { port: await listen(server), heads };
}

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const post = (client: GuardedClient, url: string, may_be_private = true): Promise<number> =>
  client.post({ url, headers: { "content-type": "application/json" }, body: "{}", may_be_private });

async function failureOf(promise: Promise<unknown>): Promise<PostError> {
  try {
    await promise;
  } catch (thrown) {
    if (thrown instanceof PostError) return thrown;
    throw thrown;
  }
  throw new Error("it was answered");
}

describe("an address", () => {
  test.each([
    ["8.8.8.8", true],
    ["172.32.0.1", true],
    ["2606:4700:4700::1111", true],
    ["2a00:1450:4001:80b::200e", true],
    ["127.0.0.1", false],
    ["127.8.8.8", false],
    ["0.0.0.0", false],
    ["10.1.2.3", false],
    ["100.100.100.200", false],
    ["169.254.169.254", false],
    ["172.31.255.255", false],
    ["192.168.1.1", false],
    ["198.18.0.1", false],
    ["224.0.0.1", false],
    ["255.255.255.255", false],
    ["::", false],
    ["::1", false],
    ["::ffff:8.8.8.8", false],
    ["::ffff:127.0.0.1", false],
    ["64:ff9b::a9fe:a9fe", false],
    ["2002:7f00:1::", false],
    ["2001:0:7f00:1::", false],
    ["fc00::1", false],
    ["fd00:ec2::254", false],
    ["fe80::1", false],
    ["fe80::1%eth0", false],
    ["ff02::1", false],
    ["example.com", false],
    ["", false],
  ])("%s is public: %p", (address, is_public) => {
    expect(isPublicAddress(address)).toBe(is_public);
  });

  test.each([
    "http://hooks.example.com/",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://[::1]/",
    "https://[::ffff:169.254.169.254]/",
    "https://localhost/",
    "https://LOCALHOST./",
    "https://metadata.google.internal/",
    "https://printer.local/",
    "https://intranet/",
    "https://me:secret@hooks.example.com/",
    "ftp://hooks.example.com/",
    "file:///etc/passwd",
    "no address",
  ])("%s is refused for an account's target before anything is looked up", async (url) => {
    expect(addressProblem(url, false)).not.toBeNull();
    const client = new GuardedClient(() => Promise.reject(new Error("looked up")));
    expect(await failureOf(post(client, url, false))).toMatchObject({ is_refused: true });
  });
});

describe("a name", () => {
  test.each([
    ["with an inner address", ["127.0.0.1"]],
    ["with a public address and an inner one", ["93.184.216.34", "169.254.169.254"]],
    ["with an inner address in the clothes of IPv6", ["::ffff:10.0.0.1"]],
  ])("%s is never asked for an account", async (_, addresses) => {
    const { port, heads } = await receiver(OK);
    const client = new GuardedClient(async () => addresses);
    const failure = await failureOf(post(client, `https://hooks.example.com:${port}/`, false));
    expect(failure).toMatchObject({ is_refused: true, message: "the address is not a public one" });
    expect(heads).toEqual([]);
  });

  test("is looked up once, and the connection goes to what was looked at, whatever it leads to meanwhile", async () => {
    const { port, heads } = await receiver(OK);
    const answers = [["127.0.0.1"], ["203.0.113.1"]];
    let asked = 0;
    const lookUp: LookUp = async () => answers[asked++] ?? [];
    expect(await post(new GuardedClient(lookUp), `http://rebinding.example.com:${port}/hook?x=1`)).toBe(200);
    expect(asked).toBe(1);
    expect(heads[0]).toStartWith("POST /hook?x=1 HTTP/1.1\r\n");
    expect(heads[0]?.toLowerCase()).toContain(`host: rebinding.example.com:${port}\r\n`);
  });

  test("that has several addresses is reached by the one that answers", async () => {
    const { port } = await receiver(OK);
    expect(
      await post(new GuardedClient(async () => ["127.9.9.9", "127.0.0.1"]), `http://two.example.com:${port}/`),
    ).toBe(200);
  });

  test("that nobody has is said to have no address", async () => {
    const client = new GuardedClient(() => Promise.reject(Object.assign(new Error("x"), { code: "ENOTFOUND" })));
    expect(await failureOf(post(client, "http://gone.example.com/"))).toMatchObject({
      is_refused: false,
      message: "the name has no address",
    });
  });
});

describe("a line", () => {
  test.each<
    [what: string, closes: (connection: number, request: number) => boolean, connections: number, requests: number]
  >([
    ["is one connection and one look at the name, until its end", () => false, 1, 4],
    ["goes on over a new connection where the receiver closes the one that was kept", () => true, 4, 4],
    [
      "sends once more what was on a connection that broke before its answer",
      (made, request) => made === 1 && request === 3,
      2,
      5,
    ],
  ])("%s", async (what, closes, connections, requests) => {
    const opened: Socket[] = [];
    let heard = 0;
    let ended = 0;
    const server = createServer((socket) => {
      opened.push(socket);
      socket.on("error", () => {}).on("close", () => (ended += 1));
      socket.on("data", () => {
        heard += 1;
        const goes = closes(opened.length, heard);
        if (goes && what.startsWith("sends")) socket.destroy();
        else socket.write(OK, () => goes && socket.end());
      });
    });
    const port = await listen(server);
    let looked = 0;
    const line = new GuardedClient(async () => [["127.0.0.1"], ["203.0.113.1"]][looked++] ?? []).line();
    for (let request = 1; request <= 4; request += 1) {
      const sent = {
        url: `http://hooks.example.com:${port}/`,
        headers: {},
        body: `{"n":${request}}`,
        may_be_private: true,
      };
      expect(await line.post(sent)).toBe(200);
      while (what.startsWith("goes") && ended < request) await Bun.sleep(1);
    }
    expect({ connections: opened.length, requests: heard, looked }).toEqual({ connections, requests, looked: 1 });
    line.end();
    while (ended < connections) await Bun.sleep(1);
  });
});

describe("a receiver", () => {
  test.each([
    ["HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", 302],
    ["HTTP/1.1 307 Temporary Redirect\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n", 307],
    ["HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n", 410],
    ["HTTP/1.1 503 Service Unavailable\r\nContent-Length: 100000000\r\n\r\nnever", 503],
    [`${OK.replace("200 OK", "204 No Content").replace("ok", "").replace("2\r", "0\r")}`, 204],
  ])("that says %p is heard, and not followed", async (answer, status) => {
    const { port, heads } = await receiver(answer);
    expect(await post(new GuardedClient(), `http://127.0.0.1:${port}/`)).toBe(status);
    expect(heads).toHaveLength(1);
  });

  test.each([
    ["", "the connection broke before an answer"],
    ["nonsense\r\n\r\n", "the connection broke before an answer"],
  ])("that says %p has given no answer", async (answer, message) => {
    const { port } = await receiver(answer);
    expect((await failureOf(post(new GuardedClient(), `http://127.0.0.1:${port}/`))).message).toBe(message);
  });

  test("that is not there is said to be unreachable, and a stop ends what waits", async () => {
    const closed = await receiver(OK);
    const [server] = servers.splice(0);
    await new Promise((resolve) => server?.close(resolve));
    expect((await failureOf(post(new GuardedClient(), `http://127.0.0.1:${closed.port}/`))).message).toBe(
      "no connection could be made",
    );
    const silent = await receiver("H");
    const client = new GuardedClient();
    const waiting = failureOf(post(client, `http://127.0.0.1:${silent.port}/`));
    while (silent.heads.length === 0) await Bun.sleep(1);
    client.stop();
    expect((await waiting).message).toBe("the gateway stopped meanwhile");
    expect((await failureOf(post(client, `http://127.0.0.1:${silent.port}/`))).message).toBe("the gateway stops");
  });

  test.each([
    ["good", "200"],
    ["other-host", "no connection could be made"],
    ["self-signed", "no connection could be made"],
  ])(
    "whose certificate is '%s' gets bytes only where it is of the name that was asked for",
    async (certificate, outcome) => {
      const fixture = (name: string): string => join(import.meta.dir, "../../proofs/fixtures/tls", name);
      const identity = {
        key: readFileSync(fixture(`${certificate}.key.pem`)),
        cert: readFileSync(fixture(`${certificate}.pem`)),
      };
      const names: unknown[] = [];
      const server = createTlsServer(identity, (socket) => {
        names.push((socket as { servername?: string | false }).servername);
        socket.on("error", () => {});
        socket.on("data", () => socket.write(OK));
      });
      server.on("tlsClientError", () => {});
      const port = await listen(server);
      const program = `
      import { GuardedClient } from ${JSON.stringify(join(import.meta.dir, "guarded-client.ts"))};
      const client = new GuardedClient(async () => ["127.0.0.1"]);
      const asked = { url: "https://localhost:${port}/", headers: {}, body: "{}", may_be_private: true };
      console.log(await client.post(asked).catch((thrown) => thrown.message));`;
      const env = { ...process.env, NODE_EXTRA_CA_CERTS: fixture("ca.pem") };
      const child = Bun.spawn([process.execPath, "-e", program], { env, stdout: "pipe", stderr: "inherit" });
      expect((await new Response(child.stdout).text()).trim()).toBe(outcome);
      expect(names.filter((name) => name !== "localhost")).toEqual([]);
    },
  );
});

import { expect, test } from "bun:test";
import { startGateway } from "../../support/gateway.ts";

test("a connection without a request is closed when `clients.keep_alive` is over, and not in the middle of its use", async () => {
  await using gateway = await startGateway({ config: "clients: { keep_alive: 5s }" });
  const closed = Promise.withResolvers<void>();
  let answers = 0;
  const request = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(new URL(gateway.url).port),
    socket: {
      data(from, bytes) {
        answers += bytes.toString().split("HTTP/1.1 200").length - 1;
        if (answers === 1) setTimeout(() => from.write(request), 1000);
      },
      close: () => closed.resolve(),
    },
  });
  socket.write(request);
  await closed.promise;
  expect(answers).toBe(2);
}, 40_000);

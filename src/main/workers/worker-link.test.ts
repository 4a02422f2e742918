import { describe, expect, test } from "bun:test";
import type { ProcessChannel } from "./channel.ts";
import type { Assignment, FromProcess, SubjectCount, ToProcess } from "./messages.ts";
import { WorkerLink } from "./worker-link.ts";

const ASSIGNMENT: Assignment = {
  ...{ number: 2, node_id: "node_2", processes: 3, is_first: false, ports: null, ledger_socket: null },
  given: { options: {}, env: {}, version: "1" },
};

/** A supervisor's end of the channel, in the test's hand. */
class TestChannel implements ProcessChannel<FromProcess, ToProcess> {
  readonly sent: FromProcess[] = [];
  say: (message: ToProcess) => void = () => {};
  vanish: () => void = () => {};
  send(message: FromProcess): void {
    this.sent.push(message);
  }
  hear(take: (message: ToProcess) => void): void {
    this.say = take;
  }
  onGone(gone: () => void): void {
    this.vanish = gone;
  }
}

function linked() {
  const channel = new TestChannel();
  const link = new WorkerLink(ASSIGNMENT, channel);
  const hurried: string[] = [];
  link.onHurry(() => hurried.push("hurry"));
  return { channel, link, hurried };
}

describe("a worker ends", () => {
  test("at the supervisor's word, and at once at its second", async () => {
    const { channel, link, hurried } = linked();
    channel.say({ kind: "stop" });
    expect(await link.stopped).toBe("the supervisor's word");
    expect(hurried).toEqual([]);
    channel.say({ kind: "stop" });
    expect(hurried).toEqual(["hurry"]);
  });

  test("at a signal of its own, which it tells; a service manager's signal to all is not the second word", async () => {
    const { channel, link, hurried } = linked();
    link.signalled("SIGTERM");
    expect(await link.stopped).toBe("SIGTERM");
    channel.say({ kind: "stop" });
    link.signalled("SIGTERM");
    expect(hurried).toEqual([]);
    expect(channel.sent).toEqual([{ kind: "stopping" }]);
    channel.say({ kind: "stop" });
    expect(hurried).toEqual(["hurry"]);
  });

  test("at once when the supervisor is gone", async () => {
    const { channel, link, hurried } = linked();
    channel.vanish();
    expect(await link.stopped).toBe("the supervisor is gone");
    expect(hurried).toEqual(["hurry"]);
  });

  test("at once when it was told twice before it could listen", () => {
    const channel = new TestChannel();
    const link = new WorkerLink(ASSIGNMENT, channel);
    channel.say({ kind: "stop" });
    channel.say({ kind: "stop" });
    const hurried: string[] = [];
    link.onHurry(() => hurried.push("hurry"));
    expect(hurried).toEqual(["hurry"]);
  });
});

describe("the messages of a worker to the others", () => {
  test("are gathered for a moment, and added up by name", async () => {
    const { channel, link } = linked();
    for (const name of ["10 key_a", "10 key_b", "10 key_a"]) link.tell("reads", name);
    link.tell("changed key", "key_a");
    expect(channel.sent).toEqual([]);
    await Bun.sleep(120);
    const counts: SubjectCount[] = [
      ["reads", "10 key_a", 2],
      ["reads", "10 key_b", 1],
      ["changed key", "key_a", 1],
    ];
    expect(channel.sent).toEqual([{ kind: "counts", counts }]);
  });

  test("reach all listeners of their subject, and are not sent on", async () => {
    const { channel, link } = linked();
    const heard: unknown[] = [];
    link.hear("reads", (name, count) => heard.push(["one", name, count]));
    link.hear("reads", (name, count) => heard.push(["two", name, count]));
    link.hear("changed key", (name) => heard.push(["key", name]));
    channel.say({ kind: "counts", counts: [["reads", "10 key_a", 2]] });
    expect(heard).toEqual([
      ["one", "10 key_a", 2],
      ["two", "10 key_a", 2],
    ]);
    await Bun.sleep(80);
    expect(channel.sent).toEqual([]);
  });
});

describe("at the supervisor's word a worker", () => {
  test("reports, and says when it has ended the holds of the dead", async () => {
    const { channel, link } = linked();
    channel.say({ kind: "report", id: 1 });
    expect(channel.sent).toEqual([]);
    const buried: string[] = [];
    const report = { metrics: "m", vitals: { in_flight: 1, active_streams: 0, queue_depth: 0, rss_bytes: 5 } };
    const started = { ports: { port: 1, operations_port: null }, banner: null };
    link.ready(started, { report: () => report, bury: async (nodes) => void buried.push(...nodes) });
    channel.say({ kind: "report", id: 2 });
    channel.say({ kind: "bury", nodes: ["node_1"] });
    await Bun.sleep(0);
    expect(buried).toEqual(["node_1"]);
    expect(channel.sent).toEqual([
      { kind: "ready", started },
      { kind: "report", id: 2, report },
      { kind: "buried", nodes: ["node_1"] },
    ]);
  });

  test("gets the reports of all, each question its own answer", async () => {
    const { channel, link } = linked();
    const [first, second] = [link.reports(), link.reports()];
    channel.say({ kind: "reports", id: 2, reports: [] });
    expect(await second).toEqual([]);
    const one = {
      number: 1,
      state: "ready",
      pid: 9,
      node_id: "node_1",
      started_ms: 1,
      restarts: 0,
      own: null,
    } as const;
    channel.say({ kind: "reports", id: 1, reports: [one] });
    expect(await first).toEqual([one]);
  });
});

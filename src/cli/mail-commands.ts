import type { Command } from "commander";
import { TestedMail } from "../../contract/mail.ts";
import { type CallOptions, gatewayCommand, print } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import { callGateway } from "./shared/gateway-client.ts";

export function addMailCommands(program: Command, deps: CliDeps, end: (status: number) => void): void {
  const mail = program.command("mail").description("mail: invitations and password resets by e-mail");
  gatewayCommand(mail, "test <address>", "send a test mail now, and say what the mail server says").action(
    async (to: string, options: CallOptions) => {
      const call = { method: "POST", path: ["mail", "test"], body: { to }, answer: TestedMail } as const;
      const tested = await callGateway(deps, options, call);
      print(deps, options, tested, ({ sent, reason }) =>
        sent ? `The mail server has taken a test for ${to}.` : `No mail was sent to ${to}: ${reason}.`,
      );
      if (!tested.sent) end(1);
    },
  );
}

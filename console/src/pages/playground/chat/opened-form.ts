import type { PromptContent } from "../../../../../contract/prompts.ts";
import { queryClient } from "../../../api/query-client.ts";
import type { ReadBody } from "./read-body.ts";
import { replaceConversation } from "./use-conversation.ts";

const FORM = "playground form";

/** Has the playground of an account open with a request of the past. Nothing of it is in the page's address, and it goes with the session. */
export function openInPlayground(account: string, { content, turns }: ReadBody): void {
  replaceConversation(account, turns);
  queryClient.setQueryData([FORM, account], content);
}

/** The form to open with; undefined where there is none. */
export function openedForm(account: string): PromptContent | undefined {
  return queryClient.getQueryData<PromptContent>([FORM, account]);
}

export function forgetOpenedForm(account: string): void {
  queryClient.removeQueries({ queryKey: [FORM, account] });
}

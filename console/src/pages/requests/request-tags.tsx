import type { ReceiptDetail } from "../../../../contract/requests.ts";
import { OTHER_TAGS, tagTexts } from "../../../../contract/tag-rules.ts";
import { ALL_ACCOUNTS, useAllAccounts } from "../../kit/all-accounts.ts";
import { LongName } from "../../kit/long-name.tsx";
import { TextLink } from "../../kit/row-link.tsx";

type Tagged = Pick<ReceiptDetail, "account" | "tags" | "tags_counted">;

/** The tags that a request carried itself, each as a link to the requests that carry it, too. */
export function RequestTags({ of: { account, tags } }: { of: Tagged }) {
  const shows_all = useAllAccounts();
  const texts = tagTexts(tags);
  if (texts.length === 0) return "none";
  return (
    <ul className="space-y-0.5 font-mono text-[0.85rem] [overflow-wrap:anywhere]">
      {texts.map((tag) => (
        <li key={tag}>
          <TextLink to="/requests" search={{ tag, account: shows_all ? ALL_ACCOUNTS : account }}>
            <LongName>{tag}</LongName>
          </TextLink>
        </li>
      ))}
    </ul>
  );
}

/** How usage counts a request's tags where its day had no room for all of them, and why. */
export function CountedTags({ counted }: { counted: NonNullable<Tagged["tags_counted"]> }) {
  return (
    <>
      <ul className="space-y-0.5 font-mono text-[0.85rem] [overflow-wrap:anywhere]">
        {tagTexts(counted).map((tag) => (
          <li key={tag}>
            <LongName>{tag}</LongName>
          </li>
        ))}
      </ul>
      <p className="mt-1 text-[0.85rem] text-ink-soft">
        The account's requests had more tag names or values on this day than are counted separately. Usage counts the
        others under {OTHER_TAGS}.
      </p>
    </>
  );
}

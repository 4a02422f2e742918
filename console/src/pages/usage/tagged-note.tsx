import { OTHER_TAGS } from "../../../../contract/tag-rules.ts";
import { useAllAccounts } from "../../kit/all-accounts.ts";
import { FilterNote } from "../../kit/filter-bar.tsx";
import { TextLink } from "../../kit/row-link.tsx";
import { tagAsked, tagNote, usageTagAsked } from "../keys/tag-words.ts";

/** The scope of a filter of usage by a tag, with links to the requests and keys that have the tag. */
export function TaggedNote({ tagged }: { tagged: string | undefined }) {
  const asked = usageTagAsked(tagged);
  // The list of keys is of one account.
  const shows_all = useAllAccounts();
  if (asked === null || asked.value === "") return <FilterNote>{tagNote(tagged, asked, "Usage")}</FilterNote>;
  if (tagAsked(tagged) === null || asked.value === OTHER_TAGS)
    return <FilterNote>Usage that its days had no room to count apart, so it stands under {OTHER_TAGS}.</FilterNote>;
  return (
    <FilterNote>
      Usage that counts under {tagged}: of{" "}
      <TextLink to="/requests" search={{ tag: tagged }}>
        requests that carry it
      </TextLink>
      , and of{" "}
      {shows_all ? (
        "keys that have it"
      ) : (
        <TextLink to="/keys" search={{ tag: tagged }}>
          keys that have it
        </TextLink>
      )}{" "}
      where a request has none.
    </FilterNote>
  );
}

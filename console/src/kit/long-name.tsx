import { Fragment } from "react";

/** A name of people or vendors that may be long: lines break behind the signs that divide it, and within a word only where one alone is too long. */
export function LongName({ children }: { children: string }) {
  const parts = children.split(/(?<=[/.@_:])/);
  return parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have nothing but their places
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

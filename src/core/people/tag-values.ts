/** The most characters of a tag's value. */
export const LONGEST_TAG_VALUE = 100;

/** Whether a text may be the value of a tag. Characters are Unicode's code points. */
export function isTagValue(value: string): boolean {
  const is_short = value.length <= 2 * LONGEST_TAG_VALUE && [...value].length <= LONGEST_TAG_VALUE;
  return value !== "" && is_short && value.isWellFormed() && !/\p{Cc}/u.test(value);
}

const TAG_NAME = /^[a-z][a-z0-9_.-]{0,39}$/;

/** Whether a text may be the name of a tag. */
export function isTagName(name: string): boolean {
  return TAG_NAME.test(name);
}

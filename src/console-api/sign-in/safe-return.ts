const HOME = "/console/";

/**
 * Where to go after a sign-in: a path of the console with its query, else the console's first page. Whatever a browser would
 * read as another site's address, or another part of this one, is not followed.
 */
export function safeReturn(text: string | undefined): string {
  if (text === undefined || !text.startsWith(HOME) || /[\\\p{Cc}]/u.test(text)) return HOME;
  const base = "http://gateway.invalid";
  const url = URL.parse(text, base);
  if (url === null || url.origin !== base || !url.pathname.startsWith(HOME)) return HOME;
  if (url.pathname.startsWith(`${HOME}api/`)) return HOME;
  return url.pathname + url.search + url.hash;
}

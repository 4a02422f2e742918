/** The two parts of a model's id as the address of its page has them; the name may hold slashes itself. */
export function modelParams(id: string): { vendor: string; name: string } {
  const slash = id.indexOf("/");
  return { vendor: id.slice(0, slash), name: id.slice(slash + 1) };
}

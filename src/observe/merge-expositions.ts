/** Metrics of one process, as `/metrics` shows them, and the value of the label by which they are told apart. */
export interface Labelled {
  readonly label: string;
  readonly text: string;
}

interface Family {
  /** The lines `# HELP` and `# TYPE`. */
  head: string;
  samples: string;
}

/**
 * The metrics of several processes as one text: each sample gets a label that names its process. They are not added up: a counter
 * that begins anew with a new process would look as if all of them did.
 */
export function mergeExpositions(name: string, parts: readonly Labelled[]): string {
  const families = new Map<string, Family>();
  for (const { label, text } of parts) {
    let family: Family | undefined;
    for (const line of text.split("\n")) {
      if (line === "") continue;
      if (!line.startsWith("# ")) {
        if (family !== undefined) family.samples += `${withLabel(line, `${name}="${label}"`)}\n`;
        continue;
      }
      const metric = line.split(" ")[2] ?? "";
      const known = families.get(metric);
      family = known ?? { head: "", samples: "" };
      if (known === undefined) families.set(metric, family);
      if (!family.head.includes(`${line}\n`)) family.head += `${line}\n`;
    }
  }
  return [...families.values()].map(({ head, samples }) => head + samples).join("\n");
}

/** A sample's line with one more label, before the others. A metric's name has neither a space nor a brace. */
function withLabel(line: string, label: string): string {
  const end = line.search(/[ {]/);
  const name = line.slice(0, end);
  return line[end] === "{" ? `${name}{${label},${line.slice(end + 1)}` : `${name}{${label}}${line.slice(end)}`;
}

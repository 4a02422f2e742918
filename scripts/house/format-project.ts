import type { FeatureReach } from "./measure-features.ts";
import type { countPackages, ProjectSizes } from "./measure-project.ts";

/** What a project comes to, a line for each figure. */
export function formatProject(
  sizes: ProjectSizes,
  packages: ReturnType<typeof countPackages>,
  features: readonly FeatureReach[],
): string {
  const { words } = sizes;
  const rooms = [...sizes.rooms].map(([name, { files, lines }]) => `${name} ${lines} in ${files}`);
  const share = Math.round((100 * sizes.single_importers) / Math.max(1, sizes.files));
  return [
    `product lines in src    ${sizes.lines} in ${sizes.files} files, without tests and what helps them`,
    `                        ${rooms.join(" · ")}`,
    `single importers        ${sizes.single_importers} files (${share} %)`,
    `folders in pairs        ${sizes.folder_pairs.length}${sizes.folder_pairs.map((pair) => `\n                        ${pair.join(" – ")}`).join("")}`,
    `packages                ${packages.runtime} for a gateway, ${packages.development} for development`,
    `words                   ${words.documents} in documents, ${words.decisions} in ADRs, ${words.readmes} in READMEs of folders`,
    ...features.map(
      ({ commit, subject, source_files, files, added_lines }) =>
        `feature ${commit}        ${source_files} files of src and contract, ${files} in all, +${added_lines}: ${subject}`,
    ),
  ].join("\n");
}

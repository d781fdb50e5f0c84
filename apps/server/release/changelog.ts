const UNRELEASED = /^## Unreleased\n([\s\S]*?)(?=^## )/m;

/** What the next version will contain, empty if nothing has changed. */
export function unreleased(changelog: string): string {
  return UNRELEASED.exec(changelog)?.[1]?.trim() ?? '';
}

/** The changelog with a heading for the version above what was unreleased. */
export function withVersion(changelog: string, version: string): string {
  return changelog.replace(UNRELEASED, (_, notes: string) => `## Unreleased\n\n## ${version}\n${notes}`);
}

const MAX_LINES = 10_000;

/** What the archive does not hold, and why: told in a file at its end. */
export interface Skipped {
  add(name: string, reason: string): void;
  /** Undefined when nothing was left out. */
  text(): string | undefined;
}

export function createSkipped(): Skipped {
  const lines: string[] = [];
  let beyond = 0;
  return {
    add(name, reason) {
      if (lines.length < MAX_LINES) lines.push(`${oneLine(name) || '/'} — ${oneLine(reason)}`);
      else beyond += 1;
    },
    text() {
      if (lines.length === 0) return undefined;
      const more = beyond > 0 ? [`… and ${beyond} more`] : [];
      return `${[...lines, ...more].join('\n')}\n`;
    },
  };
}

function oneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, '_');
}

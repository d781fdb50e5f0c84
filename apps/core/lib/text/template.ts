/** Fills in the names in braces; unknown ones stay. */
export function filled(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** What stands in place of each name in braces, up to the first text that follows it; undefined if another text. */
export function readTemplate(template: string, text: string): Record<string, string> | undefined {
  const [begin = '', ...rest] = template.split(/\{(\w+)\}/);
  if (!text.startsWith(begin)) return undefined;
  const values: Record<string, string> = {};
  let at = begin.length;
  for (let part = 0; part < rest.length; part += 2) {
    const next = rest[part + 1] ?? '';
    const is_last = part + 2 >= rest.length;
    const end = is_last ? text.length - next.length : text.indexOf(next, at);
    if (end < at || !text.startsWith(next, end)) return undefined;
    values[rest[part] ?? ''] = text.slice(at, end);
    at = end + next.length;
  }
  return at === text.length ? values : undefined;
}

/** The only reader of the environment. An empty variable counts as unset. */
export function readEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[0].startsWith('SERVICE_') && (entry[1] ?? '') !== '',
    ),
  );
}

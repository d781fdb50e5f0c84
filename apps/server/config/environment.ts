/** The only reader of the environment. An empty variable counts as unset. */
export function readEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[0].startsWith('SERVICE_') && (entry[1] ?? '') !== '',
    ),
  );
}

/** For the keeper that a gateway starts: without its secrets. */
export function keeperEnvironment({ data_dir }: { readonly data_dir: string }): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SERVICE_'));
  const defined = inherited.filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...Object.fromEntries(defined), SERVICE_DATA_DIR: data_dir, SERVICE_LOG_FORMAT: 'json' };
}

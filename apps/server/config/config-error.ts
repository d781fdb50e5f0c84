import type { z } from 'zod';

/** Ends the start; each line names a variable and its problem. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

export function parseVariables<Shape extends z.ZodType>(
  shape: Shape,
  environment: Readonly<Record<string, string>>,
): z.infer<Shape> {
  const parsed = shape.safeParse(environment);
  if (parsed.success) return parsed.data;
  throw new ConfigError(parsed.error.issues.map(describeIssue).join('\n'));
}

function describeIssue({ path, message }: { path: PropertyKey[]; message: string }): string {
  return `${path.map(String).join('.')}: ${message}`;
}

import { z } from 'zod';
import { ENDS, Id, Instant, line } from './fields.ts';

const COMMAND_LENGTH = 4096;

export const Snippet = z
  .object({
    id: Id,
    name: z.string(),
    command: z.string(),
    description: z.string(),
    shared: z.boolean().describe('Visible to everybody; only administrators can set it'),
    confirm: z.boolean().describe('The page asks for confirmation before it sends the command'),
    owned: z.boolean().describe('Whether it belongs to the caller'),
    created_at: Instant,
  })
  .meta({ id: 'Snippet' });
export type Snippet = z.infer<typeof Snippet>;

export const SnippetInput = z
  .strictObject({
    name: line(1, 80),
    command: z
      .string()
      .min(1)
      .max(COMMAND_LENGTH, ENDS)
      .refine((text) => !text.includes('\0'), 'Must not contain NUL')
      .describe('Sent followed by Enter; the page asks for the value of each `{name}`'),
    description: z.string().max(500).default(''),
    shared: z.boolean().default(false),
    confirm: z.boolean().default(false),
  })
  .meta({ id: 'SnippetInput' });
export type SnippetInput = z.infer<typeof SnippetInput>;

export const SnippetPatch = z
  .strictObject({
    name: SnippetInput.shape.name.optional(),
    command: SnippetInput.shape.command.optional(),
    description: z.string().max(500).optional(),
    shared: z.boolean().optional(),
    confirm: z.boolean().optional(),
  })
  .meta({ id: 'SnippetPatch' });
export type SnippetPatch = z.infer<typeof SnippetPatch>;

export interface SnippetRow extends Omit<Snippet, 'owned'> {
  readonly user_id: number;
}

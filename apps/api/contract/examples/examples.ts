import { ACCOUNTS } from './accounts.ts';
import { ADMINISTRATION } from './administration.ts';
import { FILES } from './files.ts';
import { SERVERS } from './servers.ts';
import { TERMINALS } from './terminals.ts';

/** One example for each shape, by its name in the document. `npm run check` compares them with the schemas. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  ...ACCOUNTS,
  ...SERVERS,
  ...FILES,
  ...TERMINALS,
  ...ADMINISTRATION,
};

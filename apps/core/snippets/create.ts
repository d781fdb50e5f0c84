import type { AuditTrail } from '../audit/trail.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';
import { createSnippets, type Snippets } from './snippets.ts';

export interface SnippetServices {
  readonly snippets: Snippets;
}

interface Ports {
  readonly repositories: Pick<Repositories, 'snippets'>;
  readonly clock: Clock;
}

export function createSnippetsFeature({ repositories, clock }: Ports, { trail }: { trail: AuditTrail }) {
  const services: SnippetServices = { snippets: createSnippets({ repositories, trail, clock }) };
  return { services };
}

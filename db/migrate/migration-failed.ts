import { adviceOn } from '../database-trouble.ts';
import { DatabaseUnusable } from '../database-unusable.ts';

/** The schema could not be updated; `message` is one line that names the change. */
export class MigrationFailed extends DatabaseUnusable {
  readonly change: string;

  constructor(change: string, reason: string, options?: ErrorOptions) {
    super(`Cannot ${change}: ${reason}${adviceOn(options?.cause)}`, options);
    this.name = 'MigrationFailed';
    this.change = change;
  }
}

/** The database could not be brought up to date; `message` is one line that names the change. */
export class MigrationFailed extends Error {
  readonly change: string;

  constructor(change: string, reason: string, options?: ErrorOptions) {
    super(`Cannot ${change}: ${reason.replaceAll(/\s+/g, ' ')}`, options);
    this.name = 'MigrationFailed';
    this.change = change;
  }
}

/** The database cannot be used as configured; `message` is one line for the operator, without the password. */
export class DatabaseUnusable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message.trim().replaceAll(/\s+/g, ' '), options);
    this.name = 'DatabaseUnusable';
  }
}

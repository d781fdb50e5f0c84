/** The database cannot be used as the operator set it up; `message` is one line for them, without the password. */
export class DatabaseUnusable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message.trim().replaceAll(/\s+/g, ' '), options);
    this.name = 'DatabaseUnusable';
  }
}

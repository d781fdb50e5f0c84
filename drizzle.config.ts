import { defineConfig } from 'drizzle-kit';

// For drizzle-kit's studio and reference DDL; at run time `db/migrate` compares and adds.
export default defineConfig({
  dialect: 'sqlite',
  schema: './db/schema/sqlite.ts',
  dbCredentials: { url: './data/sallyport.db' },
});

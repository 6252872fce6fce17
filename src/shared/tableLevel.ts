/** What a row of a table is. */
export const TABLE_LEVELS = ['file', 'series', 'study'] as const;
export type TableLevel = (typeof TABLE_LEVELS)[number];

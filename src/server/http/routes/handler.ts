import type { Context } from 'hono';

/** Parses, calls one domain function, sends. What it throws is answered by the one error handler. */
export type Handler = (c: Context) => Response | Promise<Response>;

import type { Context } from 'hono';

/**
 * Parses the request, calls one domain function and sends the result. The central error handler answers what it throws.
 */
export type Handler = (c: Context) => Response | Promise<Response>;

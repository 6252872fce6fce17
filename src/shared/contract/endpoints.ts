import Type, { type TObject, type TSchema } from 'typebox';
import { FilesQuery, FilesResponse } from './files.ts';
import { HealthResponse } from './health.ts';
import { InfoResponse } from './info.ts';
import { TagNode, TagSelectQuery, TagTree, TagTreeQuery } from './tags.ts';

export type Endpoint = {
  readonly method: 'GET' | 'PUT';
  /** Under /api, with `:name` for path parameters, which are all non-negative integers. */
  readonly path: string;
  readonly summary: string;
  readonly query?: TObject;
  readonly body?: TSchema;
  readonly mediaType: string;
  /** Present for JSON answers. */
  readonly response?: TSchema;
  /** Headers that every success carries beyond the ones that all responses have. */
  readonly headers?: readonly string[];
};

/** The whole HTTP API. The server registers its routes from it, and OpenAPI is generated from it. */
export const ENDPOINTS = {
  health: {
    method: 'GET',
    path: '/health',
    summary: 'Ready state, build identity, file count and start time',
    mediaType: 'application/json',
    response: HealthResponse,
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This API as an OpenAPI 3.1 document',
    mediaType: 'application/json',
    response: Type.Record(Type.String(), Type.Unknown()),
  },
  files: {
    method: 'GET',
    path: '/files',
    summary: 'Progressive file registry, discovery ledger, counters and tunnel state',
    query: FilesQuery,
    mediaType: 'application/json',
    response: FilesResponse,
  },
  events: {
    method: 'GET',
    path: '/events',
    summary: 'Scan progress and registry revisions, pushed as server-sent events',
    mediaType: 'text/event-stream',
  },
  info: {
    method: 'GET',
    path: '/file/:index/info',
    summary: 'Frame, geometry, syntax, kind, support and default window of one file',
    mediaType: 'application/json',
    response: InfoResponse,
  },
  tags: {
    method: 'GET',
    path: '/file/:index/tags',
    summary: 'Lazy preview of the tag tree',
    query: TagTreeQuery,
    mediaType: 'application/json',
    response: TagTree,
  },
  tagSelect: {
    method: 'GET',
    path: '/file/:index/tags/select',
    summary: 'One element by its path, with pages of sequence items',
    query: TagSelectQuery,
    mediaType: 'application/json',
    response: TagNode,
  },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof ENDPOINTS;

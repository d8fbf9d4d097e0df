CREATE TABLE memories (id TEXT PRIMARY KEY, category TEXT NOT NULL, content TEXT NOT NULL, keywords TEXT, embedding BLOB, created_at DATETIME, metadata TEXT);
INSERT INTO memories VALUES ('a1', 'fact', 'The press takes grade 46 oil.', '["press"]', NULL, '2025-05-15T10:30:00Z', '{}');
INSERT INTO memories VALUES ('a2', 'fact', 'The spare key hangs in the office.', 'not json', x'00000000', '2025-05-16T07:00:00Z', NULL);

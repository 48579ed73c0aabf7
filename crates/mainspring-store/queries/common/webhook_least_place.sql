SELECT MIN(noted_through) FROM webhook

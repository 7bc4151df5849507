namespace muster {
extern const char placeholder_server_core = 0;
}

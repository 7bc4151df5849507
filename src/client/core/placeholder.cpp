namespace muster {
extern const char placeholder_client_core = 0;
}
